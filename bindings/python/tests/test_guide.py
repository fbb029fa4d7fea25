"""Every block of the guide, one after the other, as a reader would run them."""

import re

from conftest import API_KEY, ROOT


def test_every_block_of_the_guide_runs(serve):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "PYTHON.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    server = serve()
    names = {"url": server.url, "api_key": API_KEY}
    for block in blocks:
        exec(block, names)
    assert len(server.of("create")) == 3
