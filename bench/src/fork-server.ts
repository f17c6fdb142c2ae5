import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import * as z from "zod";
import type { Lab } from "./lab.ts";

const readySchema = z.object({ url: z.string() });

export interface ForkedServer {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a server in a process of its own, which gets `setup` as JSON and sends its address once it listens. */
export async function forkServer(
  lab: Lab,
  program: URL,
  setup: object,
  options: readonly string[] = [],
): Promise<ForkedServer> {
  const child = fork(program, [JSON.stringify(setup)], { execArgv: [...process.execArgv, ...options] });
  const ended = once(child, "exit");
  lab.onEnd(async () => {
    child.kill();
    await ended;
  });
  const [ready]: unknown[] = await Promise.race([
    once(child, "message"),
    ended.then(() => {
      throw new Error("The server ended before it listened.");
    }),
  ]);
  return { child, url: readySchema.parse(ready).url };
}
