from diffresnet.report.page import Heading, Paragraph, Picture, Table, make_page


def test_everything_is_escaped_and_inside_the_page() -> None:
    parts = [
        Heading("<h>"),
        Paragraph("a & b"),
        Table(["x"], [["<1>"], ["2"]]),
        Picture(b"GIF", "image/gif", 'say "hi"'),
    ]
    page = make_page("<title>", parts).decode()
    for text in (
        "<title>&lt;title&gt;</title>",
        "<h2>&lt;h&gt;</h2>",
        "<p>a &amp; b</p>",
        "<td>&lt;1&gt;</td>",
        'src="data:image/gif;base64,R0lG" alt="say &quot;hi&quot;"',
    ):
        assert text in page
