"""How Sphinx builds the site: `make docs`. Nothing is loaded from elsewhere, then or later."""

import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

from sphinx_gallery.sorting import ExplicitOrder

import diffresnet

HERE = Path(__file__).parent
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(HERE))  # for `animations`

project = "diffresnet"
author = "The diffresnet developers"
version = release = diffresnet.__version__
html_title = "diffresnet"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "results/nodes", "gallery/*.ipynb", "gallery/*.py.md5"]
default_role = "code"  # our docstrings write `names` so
suppress_warnings = ["config.cache", "myst.strikethrough"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
python_maximum_signature_line_length = 80  # a parameter a line
toc_object_entries_show_parents = "hide"
autodoc_typehints = "signature"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # it takes the underscore of `numpy.str_` for a link
napoleon_custom_sections = [("Shape", "notes_style"), ("Warns", "notes_style")]

ORDER = (
    "moons digits new_points suggest photos sentences graph cells cluster values "
    "health strength trust audit smoothing xor theorem layer fewshot"
)
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": ExplicitOrder([f"plot_{name}.py" for name in ORDER.split()] + ["*"]),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "remove_config_comments": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("diffresnet",),
    "reference_url": {},
    "image_scrapers": ("animations.scrape", "matplotlib"),
    "reset_modules": ("matplotlib",),
}
warnings.filterwarnings("ignore", category=UserWarning, message=".*Agg.*")

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = True
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "gallery/index": []}
html_context = {"default_mode": "auto"}

GALLERY = HERE.parent / "examples/gallery"
PAGES = {
    "benchmarks/README.md": "developers/benchmarks.md",
    "CONTRIBUTING.md": "developers/contributing.md",
}
"""Files of the repository that have a page of their own."""


def lead_to_pages(_app: Any, name: str, source: list[str]) -> None:
    """Let links that lead out of `docs` in the repository lead to pages of the site, or be text."""
    folder = (HERE / name).parent

    def lead(found: re.Match[str]) -> str:
        place = Path(os.path.normpath(folder / found[2]))
        page = next((page for file, page in PAGES.items() if place == HERE.parent / file), None)
        if place.parent == GALLERY and place.suffix == ".py":
            page = f"gallery/{place.stem}.rst"  # made from it
        if page is not None:
            return f"[{found[1]}]({os.path.relpath(HERE / page, folder)})"
        return found[1] if place.is_dir() else found[0]

    source[0] = re.sub(r"\[([^\]]+)\]\(([^)#:\s]+)\)", lead, source[0])


def setup(app: Any) -> None:
    """Connect what is ours."""
    app.connect("source-read", lead_to_pages)
