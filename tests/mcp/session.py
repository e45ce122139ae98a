"""A session of the protocol's own Python SDK with `hopscope mcp INDEX`. The SDK checks every answer against its schema."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = [
    ("open_status", {}),
    ("ask", {"question": "q72", "method": "hop@ranker=off"}),
    ("why", {"question": "q72", "passage": "gassendi"}),
    ("why_not", {"question": "q72", "passage": "kepler-1", "method": "hop@ranker=off", "repairs": True}),
    ("compare", {"first": "hop", "second": "hop@ranker=off"}),
    ("evaluate", {"method": "graph"}),
]


async def main(program, index):
    server = StdioServerParameters(command=program, args=["mcp", index])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = await session.list_tools()
        assert [tool.name for tool in listed.tools] == [name for name, _ in CALLS]
        for name, arguments in CALLS:
            for bound in (None, 200):
                if bound:
                    arguments = arguments | {"max_tokens": bound}
                result = await session.call_tool(name, arguments)
                text = result.content[0].text
                assert "error" not in json.loads(text), text
                assert bound is None or len(text.encode()) <= 3 * bound, (name, len(text))
        wrong = await session.call_tool("ask", {"question": "q72", "method": "grph"})
        assert json.loads(wrong.content[0].text)["options"][0] == "graph"
        read = await session.read_resource("hopscope://passage/titan")
        assert read.contents[0].text.startswith("Titan\n")
    print("six tools answered")


asyncio.run(main(*sys.argv[1:]))
