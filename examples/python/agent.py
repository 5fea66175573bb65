"""An agent for Engraph in Python. pip install temporalio; then: TEMPORAL_NAMESPACE=engraph python agent.py"""

import asyncio
import re

from temporalio import activity
from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.worker import Worker


@activity.defn(name="findTime")
async def find_time(task: dict) -> dict:
    """Answers with the first time of day that its memory holds."""
    found = re.search(r'<memory n="(\d+)"[^>]*>[^<]*?(\d{1,2}:\d\d)', task["context"])
    if found is None:
        return {"action": "", "status": "failed", "feedback": "no memory names a time of day"}
    return {"action": found[2], "status": "succeeded", "cited": [int(found[1])]}


async def main() -> None:
    client = await Client.connect(**ClientConfig.load_client_connect_config())
    await Worker(client, task_queue="my-agent", activities=[find_time]).run()


asyncio.run(main())
