from diffresnet.studio.rows import describe_row


def plainly(columns: list[str], values: list[float]) -> str:
    return describe_row(columns, values).replace("\N{NO-BREAK SPACE}", " ")


def test_cells_have_names_and_short_numbers() -> None:
    assert plainly(["height", "width"], [2.1, 3.0]) == "height 2.1 · width 3"
    assert plainly(["height", "width"], [1234.56, 1e12]) == "height 1234.6 · width 1e+12"


def test_ten_columns_are_enough() -> None:
    names = [f"x{at}" for at in range(12)]
    assert plainly(names, [0.5] * 10).endswith("x9 0.5 · …")
    assert plainly(["a" * 99], [1]) == f"{'a' * 18}...{'a' * 18} 1"
