from diffresnet.cli.naming import name_options


def embed(source: str, *, encoder: str, follow_links: bool) -> None: ...


def train(*, data: str) -> None: ...


def test_arguments_behind_an_option() -> None:
    said = "make_encoder: `name` must be one of a, got 'x'. Choose one of these."
    assert name_options(said, embed) == "--encoder must be one of a, got 'x'. Choose one of these."
    assert name_options(said, train) == said
    said = "ImageSet: `ids` must be different, got 'x' twice."
    assert name_options(said, embed) == "ids of SOURCE must be different, got 'x' twice."
    assert name_options(said, train) == "ids of --data must be different, got 'x' twice."


def test_remedies_are_those_of_the_command() -> None:
    said = (
        "ImageSet: `folder` must be a, got b. Copy it, or follow (`follow_links`, --follow-links)."
    )
    assert (
        name_options(said, embed) == "SOURCE must be a, got b. Copy it, or follow (--follow-links)."
    )
    assert name_options("f: `x` must be a `y`.", embed) == "f: `x` must be a `y`."
