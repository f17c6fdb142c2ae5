import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitionsOf } from "../support/carried/definitions.ts";
import { type Installed, installPacked } from "../support/carried/installed.ts";
import { printedBy, programsIn } from "../support/carried/programs.ts";

/** A function or class of each entry. */
const EXPORTED = {
  "@jaf/agents": "Agent",
  "@jaf/ai-sdk": "createAiSdkProvider",
  "@jaf/anthropic": "createAnthropicProvider",
  "@jaf/core": "createAgentClient",
  "@jaf/core/testing": "createScriptedModel",
  "@jaf/google": "createGoogleProvider",
  "@jaf/memory": "createInMemoryProvider",
  "@jaf/memory/history": "tokenWindow",
  "@jaf/memory-postgres": "createPostgresProvider",
  "@jaf/memory-redis": "createRedisProvider",
  "@jaf/model-http": "post",
  "@jaf/openai": "createOpenAIProvider",
  "@jaf/server": "runServer",
  "@jaf/server/client": "createJafClient",
  "@jaf/user-memory": "MemoryUserMemory",
  "@jaf/xflow": "loadAgentState",
};

let installed: Installed;
beforeAll(async () => {
  installed = await installPacked();
}, 600_000);
afterAll(() => installed?.remove());

const placeOf = (name: string): string => join(installed.folder, "node_modules", name);

it("installs what an agent reads with each package", async () => {
  expect(installed.names.length).toBeGreaterThanOrEqual(13);
  for (const name of installed.names) {
    const { version } = JSON.parse(await readFile(join(placeOf(name), "package.json"), "utf8"));
    const skill = await readFile(join(placeOf(name), "SKILL.md"), "utf8");
    expect(skill).toContain(`version: "${version}"`);
    expect(existsSync(join(placeOf(name), `skills/jaf-${name.slice("@jaf/".length)}/SKILL.md`))).toBe(true);
    expect(existsSync(join(placeOf(name), "LICENSE"))).toBe(true);
  }
});

it.each(["editor.mts", "editor.cts"])("leads from an import in %s to the sources", async (file) => {
  const definitions = await definitionsOf(installed.folder, file, EXPORTED);
  for (const [specifier, name] of Object.entries(EXPORTED)) {
    const found = definitions.get(specifier);
    const [scope, unscoped] = specifier.split("/");
    expect(found?.file).toMatch(`${placeOf(`${scope}/${unscoped}`)}/src/`);
    const lines = (await readFile(found?.file ?? "", "utf8")).split("\n");
    expect(lines[(found?.line ?? 0) - 1]).toMatch(new RegExp(`(function|class|const) ${name}\\b`));
  }
});

describe("programs of SKILL.md print what they say", () => {
  it("without a server and a key", async () => {
    let count = 0;
    for (const name of installed.names) {
      for (const program of await programsIn(join(placeOf(name), "SKILL.md"))) {
        count += 1;
        expect(await printedBy(program, installed.folder, `program-${count}`), name).toEqual(program.prints);
      }
    }
    expect(count).toBeGreaterThanOrEqual(9);
  });
});
