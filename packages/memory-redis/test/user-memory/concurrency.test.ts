import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { afterAll, expect, inject, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { createRedisUserMemory } from "../../src/user-memory/index.ts";
import { freshPrefix } from "../support/stores.ts";

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

async function start(file: string, args: readonly string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface(child.stdout);
  await once(lines, "line");
  return { child, lines };
}

const nextLine = async (lines: Interface): Promise<unknown> => (await once(lines, "line"))[0];

it.each([8, 16, 64])(
  "all of %i facts that each of two processes remembers at once for one user are stored",
  { timeout: 60_000 },
  async (count) => {
    const file = await bundleProcess(new URL("../support/remember-child.ts", import.meta.url));
    const [url, keyPrefix] = [inject("redisUrl"), freshPrefix()];
    const started = await Promise.all(
      ["a", "b"].map((name) => start(file, [url, keyPrefix, name, String(count)])),
    );
    const stored = started.map(({ lines }) => nextLine(lines));
    for (const { child } of started) child.stdin.write("go\n");
    expect(await Promise.all(stored)).toEqual([`stored ${count}`, `stored ${count}`]);
    const memory = await createRedisUserMemory({ url, keyPrefix });
    expect(await memory.verifyAudit("u")).toMatchObject({ ok: true, facts: 2 * count });
    await memory.close();
  },
);
