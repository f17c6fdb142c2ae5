import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const guide = readFileSync(new URL("../../../../docs/adding-a-provider.md", import.meta.url), "utf8");
// In this folder, so the code finds its imported packages.
const folder = fileURLToPath(new URL("./.snippets/", import.meta.url));

const files = [...guide.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```/gm)].map(([, name = "", code = ""]) => ({
  path: join(folder, name),
  code,
}));

rmSync(folder, { recursive: true, force: true });
for (const { path, code } of files) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (name: string) => import(/* @vite-ignore */ join(folder, name));

// Declares the tests of the guide's own backend.
await load("test/conformance.test.ts");

describe("the guide's adapter", () => {
  it("refuses a configuration by the name of the field", async () => {
    const { createJsonProvider } = await load("src/index.ts");
    await expect(createJsonProvider({ file: "" })).rejects.toThrow(/file/);
  });

  it("rejects with a setup error for a file that isn't a list of conversations", async () => {
    const { createJsonProvider } = await load("src/index.ts");
    const disk = { load: async () => "secret text", save: async () => {} };
    const refused = await createJsonProvider({ file: "x" }, disk).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ name: "MemorySetupError", error: { provider: "json" } });
    expect(JSON.stringify(refused)).not.toContain("secret");
  });

  it("names the anchors that the kit's reports point to", () => {
    for (const level of ["contract", "isolation", "limits", "ttl", "concurrency", "crash"]) {
      expect(guide).toContain(`\n### ${level}\n`);
    }
  });
});
