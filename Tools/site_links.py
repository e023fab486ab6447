"""MkDocs: links that leave `docs` lead to a copy of the file in the site, and each stage has its page.

In a checkout these links lead to the file itself, so the pages read well without the site too. Links to articles of the
Swift library's reference lead to their pages in it, which `make reference` builds into the site.
"""

import pathlib
import re

from mkdocs.structure.files import File

LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?:\.\./)[^)#\s]*)(#[^)\s]*)?\)")


def on_config(config):
    """Puts the page of each stage behind the list of stages."""
    stages = sorted(pathlib.Path(config.docs_dir, "stages").glob("*.md"))
    for section in config.nav:
        if "Stages" in section:
            section["Stages"] += [{page.stem: f"stages/{page.name}"} for page in stages]
    return config


def on_files(files, config):
    """Takes along what pages link to outside `docs`."""
    root = pathlib.Path(config.config_file_path).parent
    for page in list(files.documentation_pages()):
        text = pathlib.Path(page.abs_src_path).read_text(encoding="utf-8")
        for match in LINK.finditer(text):
            target = _target(page, match[3], config)
            name = _name(target, root)
            if name and not _article(target) and target.is_file() and files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, abs_src_path=str(target)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Leads links that leave `docs` to the copies; a folder has none, and its name stays as text."""
    root = pathlib.Path(config.config_file_path).parent

    def changed(match):
        target = _target(page.file, match[3], config)
        name = _name(target, root)
        if name is None:
            return match[0]
        if not target.exists():
            return match[0]  # a dead link, of which MkDocs tells
        if not target.is_file():
            return match[2]
        up = "../" * page.file.src_uri.count("/")
        if article := _article(target):
            # As HTML, for MkDocs does not know what is added to the site later.
            return f'<a href="{up}reference/documentation/{article}/">{match[2]}</a>'
        return f"{match[1]}[{match[2]}]({up}{name})"

    return LINK.sub(changed, markdown)


def _target(file, link, config):
    return pathlib.Path(config.docs_dir, file.src_uri).parent.joinpath(link).resolve()


def _article(target):
    """The path of an article in the reference; None for what is none."""
    if target.parent.suffix != ".docc":
        return None
    front, name = target.parent.stem.lower(), target.stem.lower()
    return front if name == front else f"{front}/{name}"


def _name(target, root):
    """The path of a copy in the site; None for what is in `docs` or not in the project."""
    if target.is_relative_to(root / "docs") or not target.is_relative_to(root):
        return None
    # MkDocs leaves out what is hidden.
    return "source/" + target.relative_to(root).as_posix().lstrip(".")
