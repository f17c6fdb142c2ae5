import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import type { Address } from "./address.ts";
import type { Task } from "./child.ts";
import type { Reply } from "./program.ts";

interface FromChild {
  readonly kind: "ready" | "done";
  readonly reply?: Reply;
}

/** Runs tasks in processes of their own, which begin at the same time. Returns their replies. */
export async function runInProcesses(
  address: Address,
  tasks: readonly Task[],
): Promise<readonly (Reply | undefined)[]> {
  const file = await bundleProcess(new URL("child.ts", import.meta.url));
  const children = tasks.map((task) => fork(file, [JSON.stringify({ address, task })], { execArgv: [] }));
  try {
    const next = async (child: (typeof children)[number]) => {
      const ended = once(child, "exit").then(([code]) => {
        throw new Error(`a process ended with ${String(code)}`);
      });
      const [message] = (await Promise.race([once(child, "message"), ended])) as [FromChild];
      ended.catch(() => {});
      return message;
    };
    await Promise.all(children.map(next));
    const done = children.map(next);
    for (const child of children) child.send("begin");
    return (await Promise.all(done)).map(({ reply }) => reply);
  } finally {
    for (const child of children) child.kill();
  }
}
