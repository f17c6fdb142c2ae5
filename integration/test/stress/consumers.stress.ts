import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";
import { installTool } from "../../../test/tools.ts";
import { type Consumption, consume } from "../support/consumers/program.ts";
import {
  createProject,
  createProjectAlone,
  type Project,
  RESOLUTIONS,
} from "../support/consumers/project.ts";
import { installRuntime, RUNTIMES } from "../support/consumers/runtimes.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const COMPILERS = ["5.8.3", "6.0.3", "7.0.2"];

const run = promisify(execFile);

let registry: ReleasedRegistry;
let project: Project;
/** Without `@jaf/core`. */
let alone: Omit<Project, "entries">;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  project = await createProject(registry);
  alone = await createProjectAlone(registry);
}, 600_000);

afterAll(async () => {
  await project?.remove();
  await alone?.remove();
  await registry?.stop();
});

const OF_OTHERS = /^node_modules\/(?!@jaf\/)/;

/**
 * Returns what the compiler finds wrong in our declarations and in the project's files. The declarations of frameworks have
 * faults of their own under these options.
 */
async function faultsIn(folder: string, version: string, configuration: string): Promise<readonly string[]> {
  const compiler = join(await installTool("typescript", version), "typescript/bin/tsc");
  const printed = await run(process.execPath, [compiler, "-p", `tsconfig.${configuration}.json`], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  }).then(
    () => "",
    (failed: { readonly stdout: string; readonly stderr: string }) => failed.stdout + failed.stderr,
  );
  // What explains a fault is indented.
  return printed.split(/\n(?=\S)/).filter((fault) => fault.trim() !== "" && !OF_OTHERS.test(fault));
}

describe.each(COMPILERS)("TypeScript %s", (version) => {
  it.each(RESOLUTIONS)("accepts every declaration, resolved as by %s", async (resolution) => {
    expect(await faultsIn(project.folder, version, resolution)).toEqual([]);
  });

  it("accepts an application of the memory without the engine", async () => {
    expect(await faultsIn(alone.folder, version, "alone")).toEqual([]);
  });
});

it("the memory under the AI SDK runs without the engine", async () => {
  expect(await readdir(join(alone.folder, "node_modules/@jaf"))).not.toContain("core");
  const [node] = RUNTIMES;
  if (node === undefined) throw new Error("no runtime");
  const { stdout } = await run(await installRuntime(node), ["consumers/memory-alone.ts"], {
    cwd: alone.folder,
  });
  expect(JSON.parse(stdout)).toEqual({
    recalled: ["Lives in Oslo"],
    instructions: ["Oslo", "quince"],
    tools: ["remember_fact", "recall_facts", "forget_fact"],
    messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "Hello 🌞" }] }],
  });
});

/** Calls the action with servers and a namespace for which nothing is stored yet, and deletes afterwards what was stored. */
async function withServers(action: (servers: Parameters<typeof consume>[0]) => Promise<Consumption>) {
  const [redisUrl, pgUrl] = [inject("redisUrl"), inject("pgUrl")];
  const namespace = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  try {
    return await action({ redisUrl, pgUrl, namespace });
  } finally {
    const client = new pg.Client({ connectionString: pgUrl });
    await client.connect();
    await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${namespace} CASCADE`);
    await client.end();
    const redis = createClient({ url: redisUrl });
    await redis.connect();
    const keys = await redis.keys(`${namespace}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.destroy();
  }
}

it.each(RUNTIMES)("$name $version runs the packages like Node 20 the sources", async (runtime) => {
  const program = await installRuntime(runtime);
  const expected = await withServers(consume);
  const result = await withServers(async (servers) => {
    const file = join(project.folder, "consumers/main.ts");
    const given = [JSON.stringify(project.entries), JSON.stringify(servers)];
    const { stdout } = await run(program, [...runtime.args, file, ...given], {
      cwd: project.folder,
      env: { ...registry.environment, DENO_DIR: join(project.folder, ".deno") },
    });
    return JSON.parse(stdout);
  });
  expect(result).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(result.conversation.outputs).toEqual([
    "It is sunny in Pünē 🌞.",
    "interrupted",
    "In Paris, too.",
    "Goodbye.",
  ]);
  expect(result.facts).toEqual([["Lives in Oslo", expect.anything()]]);
  for (const name of ["redis", "postgres"])
    expect(result.stores[name]).toEqual({
      messages: [
        ["user", "Wie heißt du? 🌞"],
        ["assistant", "Jaf."],
      ],
      facts: result.facts,
    });
});
