from diffresnet.cluster.settings import Settings


def test_memory_says_how_many_shards_and_blocks_there_are() -> None:
    small, large = Settings(memory=1e9), Settings(memory=4e9)
    assert small.shards(3_000_000, 64, 2) >= large.shards(3_000_000, 64, 2) >= 30
    assert small.blocks(3_000_000, 60, 2) == 18
    assert large.blocks(3_000_000, 60, 2) == 3
    assert large.shards(2000, 64, 8) == 1
