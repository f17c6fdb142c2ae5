import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { type FromSpender, fromSpenderSchema, type SpendingTask } from "./spending.ts";

/** How many processes start at the same time. */
const STARTING = 8;

/** Resolves with the next message of a process. Rejects if the process ends without one. */
async function nextMessage(child: ChildProcess): Promise<FromSpender> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const failure = once(child, "exit", { signal }).then(([code, killedBy]) => {
      throw new Error(`a spending process ended: ${killedBy ?? `exit code ${code}`}`);
    });
    const [message] = await Promise.race([once(child, "message", { signal }), failure]);
    return fromSpenderSchema.parse(message);
  } finally {
    ended.abort();
  }
}

/** Lets processes spend a budget at the same time. Returns how many calls each of them recorded. */
export async function spendInProcesses(count: number, task: SpendingTask): Promise<readonly number[]> {
  const file = await bundleProcess(new URL("spender.ts", import.meta.url));
  const children: ChildProcess[] = [];
  try {
    while (children.length < count) {
      const starting = Array.from({ length: Math.min(STARTING, count - children.length) }, () =>
        fork(file, [JSON.stringify(task)], { execArgv: [] }),
      );
      children.push(...starting);
      await Promise.all(starting.map(nextMessage));
    }
    const done = children.map(nextMessage);
    for (const child of children) child.send("begin");
    return (await Promise.all(done)).map((message) => (message.kind === "done" ? message.calls : 0));
  } finally {
    for (const child of children) child.kill();
  }
}
