from operator import add

from diffresnet.cluster.engine import InProcess


class Counter:
    def __init__(self, start: int) -> None:
        self.count = start
        self.part = self

    def rise(self, by: int) -> int:
        self.count += by
        return self.count

    def share(self) -> tuple[int, list[int]]:
        return self.count, [self.count, -self.count]


def test_three_verbs() -> None:
    engine = InProcess()
    assert engine.map(add, [(1, 2), (3, 4)]) == [3, 7]
    handles = engine.start(Counter, [(1,), (10,)])
    assert engine.call(handles, "rise", [(1,), (2,)]) == [2, 12]
    assert engine.call(handles, "part.rise", [(1,), (1,)]) == [3, 13]
    assert engine.call(handles, "share", [(), ()], 2) == [(3, [3, -3]), (13, [13, -13])]
    engine.stop(handles)
