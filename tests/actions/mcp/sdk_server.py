"""An MCP server made with the official SDK: over its pipes, or with `http` or `sse` at an address.

At an address it tells its port in its first line of output.
"""

import os
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("tests", log_level="ERROR")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def echo(text: str, times: int = 1) -> str:
    """Say a text again."""
    return " ".join([text] * times)


@server.tool()
async def grow(context: Context) -> str:
    """Have one tool more from now on."""
    server.add_tool(lambda: "grown", name="grown", description="Came later.")
    await context.notify_tools_changed()
    return "one more"


@server.tool()
def end() -> str:
    """End in the middle of a call."""
    os._exit(3)


def serve_at_an_address(kind: str) -> None:
    bound = socket.create_server(("127.0.0.1", 0))
    print(bound.getsockname()[1], flush=True)  # noqa: T201  # the test reads it
    app = server.sse_app() if kind == "sse" else server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[bound])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve_at_an_address(sys.argv[1])
    else:
        server.run()
