import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishedPackages } from "../../../scripts/published-packages.ts";
import { outputOf, type Project, type Ran } from "../support/registry/project.ts";
import { README } from "../support/registry/readme.ts";
import {
  BUILD_MS,
  type ManagerName,
  openSetting,
  replyAfter,
  type Setting,
} from "../support/registry/setting.ts";

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting();
}, BUILD_MS);
afterAll(() => setting?.close());

/**
 * What would frighten a user, except for what yarn says about its loader for ES modules, pnpm about a slow registry, and both
 * about the frameworks' own dependencies: OpenAI's agents need a package for Node 22, and LangChain's don't fit each other.
 */
const warningsIn = (output: string): readonly string[] =>
  output
    .split("\n")
    .filter((line) => /warn|deprecat|peer|ignored|conflict/i.test(line))
    .filter(
      (line) => !/YN0092|Done with warnings|Request took|engine for openai@|met by dependencies/.test(line),
    );

/** Installs packages, which must print no warning. */
async function installed(manager: ManagerName, packages: readonly string[]): Promise<Project> {
  const project = await setting.createProject(manager);
  const output = outputOf(await project.manage(project.manager.add, ...packages));
  expect(warningsIn(output)).toEqual([]);
  return project;
}

describe.concurrent("the README's program", () => {
  it.each(["npm 10", "pnpm", "yarn with node_modules", "bun"] as const)(
    "runs with what %s installs, and its conversation goes on in the other module system",
    async (manager) => {
      const project = await installed(manager, README.packages);
      expect(outputOf(await project.run("main.mjs"))).toContain(replyAfter(2));
      expect(outputOf(await project.run("main.cjs"))).toContain(replyAfter(4));
    },
  );
});

/** A conformance kit can only be imported in a vitest run. */
const KITS = ["@jaf/memory/testing", "@jaf/user-memory/testing"];

const ENTRIES = publishedPackages(new URL("../../..", import.meta.url).pathname)
  .flatMap(({ entries }) => entries)
  .map(({ specifier }) => specifier)
  .filter((specifier) => !KITS.includes(specifier));

/** Runs a program that loads all entries of our packages. */
async function load(project: Project, file: "load.mjs" | "load.cjs"): Promise<Ran> {
  const call = file === "load.mjs" ? "await import" : "require";
  await project.write(file, ENTRIES.map((entry) => `${call}(${JSON.stringify(entry)});`).join("\n"));
  return project.run(file);
}

describe.concurrent("all packages", () => {
  // A package gets only what it declares.
  it.each(["pnpm", "yarn with Plug'n'Play"] as const)(
    "load in both module systems with %s",
    async (manager) => {
      const names = setting.packages.map(({ name }) => name).filter((name) => name.startsWith("@jaf/"));
      const project = await installed(manager, [
        ...names,
        ...["zod", "@electric-sql/pglite", "@opentelemetry/api"],
        // The queues of the adapters.
        ...["bullmq@6", "pg-boss@10", "pg"],
        // The frameworks of the bridges, and the driver of SQLite.
        ...[
          "@openai/agents-core",
          "@langchain/core",
          "@langchain/langgraph-checkpoint",
          "@photostructure/sqlite@1",
        ],
      ]);
      outputOf(await load(project, "load.mjs"));
      outputOf(await load(project, "load.cjs"));
    },
  );
});
