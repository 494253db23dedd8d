"""The shell of every page: one file that needs no other, and may load nothing."""

from html import escape

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def make_shell(title: str, body: str, *, style: str, script: str = "", data: str = "") -> bytes:
    """Return the content of an HTML file.

    Args:
        title: of the page, which is also its heading.
        body: markup below the heading.
        style: CSS.
        script: JavaScript; without it the page may run none.
        data: JSON for the script, in the element `data`.
    """
    policy = f"{POLICY}; script-src 'unsafe-inline'" if script else POLICY
    scripts = (
        f'<script type="application/json" id="data">{data}</script>\n<script>\n{script}</script>\n'
        if script
        else ""
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{style}</style></head>
<body><main>
<h1>{escape(title)}</h1>
{body}
</main>
{scripts}</body></html>
""".encode("utf-8", "replace")  # names of files need not be texts
