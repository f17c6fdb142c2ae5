import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { parseArguments } from "../src/cli/arguments.ts";
import { main } from "../src/cli/main.ts";
import { openStores } from "../src/stores.ts";

/** Runs a command in this process. */
async function run(...argv: readonly string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const spies = [
    vi.spyOn(console, "log").mockImplementation((text) => void out.push(String(text))),
    vi.spyOn(console, "error").mockImplementation((text) => void error.push(String(text))),
  ];
  try {
    const code = await main(argv, {});
    return { code, out: out.join("\n"), error: error.join("\n") };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "jaf-mcp-memory-"));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

it("takes the user from the option, else from the environment, else from the system", () => {
  const userOf = (argv: readonly string[], environment = {}) => {
    const given = parseArguments(argv, environment);
    return "userId" in given ? given.userId : undefined;
  };
  expect(userOf(["--user", "ada"], { JAF_USER: "bob" })).toBe("ada");
  expect(userOf([], { JAF_USER: "bob" })).toBe("bob");
  expect(userOf([])).toMatch(/./);
});

it("serves HTTP without tokens only for a user that was named, and only on loopback", () => {
  const http = (...more: readonly string[]) =>
    parseArguments(["--http", "3333", ...more], { JAF_USER: "eve" });
  expect(http()).toMatchObject({ command: "http", host: "127.0.0.1", open: false });
  expect(http("--user", "ada")).toMatchObject({ open: true, userId: "ada" });
  expect(http("--host", "0.0.0.0")).toMatchObject({ open: false });
  expect(() => http("--host", "0.0.0.0", "--user", "ada")).toThrow(/needs --host 127.0.0.1/);
});

it("says what is wrong with a command, in one line", async () => {
  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/Unknown option '--stoer'/, "--stoer", "x"],
    [/Unknown command: serve/, "serve"],
    [/Unknown address of a store \("mysql:"\): expected file:/, "--store", "mysql://u:secret@h/db", "review"],
    [/Unknown address of a store \(""\)/, "--store", "./memory.db", "review"],
    [/--http: expected a port, not "x"/, "--http", "x"],
    [/token: expected add/, "token"],
    [/say whose token/, "token", "add"],
    [/no token abc/, "token", "remove", "abc", "--tokens", "/nonexistent/tokens"],
    [/can't be used \(ENOTDIR\)/, "token", "list", "--tokens", "/etc/passwd/tokens"],
    [/can't be read \(ENOENT\)/, "import", "/nonexistent.jsonl", "--store", "memory:"],
    [/folder \/proc\/none can't be created \(ENOENT\)/, "--store", "file:/proc/none/memory.db", "review"],
    [/isn't a SQLite database/, "--store", "file:/etc/passwd", "review"],
    [/no server listens there/, "--store", "postgres://u:secret@127.0.0.1:1/db", "review"],
    [/not both/, "review", "--confirm", "a", "--reject", "b"],
    [/No such fact waits/, "review", "--confirm", "a", "--store", "memory:"],
    [/expected a name of 1 to 255/, "--user", ""],
    [/--as-of: expected a date such as 2026-11-01, not "soon"/, "health", "--as-of", "soon"],
    [/There is no such finding/, "health", "--apply", "junk", "--store", "memory:"],
  ];
  for (const [reason, ...argv] of cases) {
    const { code, out, error } = await run(...argv);
    expect({ argv, code, out, lines: error.split("\n").length }).toEqual({
      argv,
      code: 1,
      out: "",
      lines: 1,
    });
    expect(error).toMatch(reason);
    expect(error).not.toContain("secret");
  }
});

it("makes, lists and removes tokens", async () => {
  const tokens = ["--tokens", join(await folder(), "tokens")];
  const { out: token } = await run("token", "add", "--user", "ada", ...tokens);
  expect(token).toMatch(/^jafm_/);
  const { out: listed } = await run("token", "list", ...tokens);
  expect(listed).toMatch(/^[0-9a-f]{12} {2}\S+ {2}ada$/);
  expect(listed).not.toContain(token);
  expect(await run("token", "remove", listed.slice(0, 12), ...tokens)).toMatchObject({ code: 0 });
  expect((await run("token", "list", ...tokens)).out).toBe("");
});

it("prints what becomes of an imported file, and broken lines with their numbers", async () => {
  const file = join(await folder(), "memory.jsonl");
  const entity = { type: "entity", name: "Ada", entityType: "person", observations: ["Likes tea"] };
  await writeFile(file, `${JSON.stringify(entity)}\nbroken\n`);
  const given = ["import", file, "--store", "memory:", "--user", "ada"];
  const { out, error } = await run(...given);
  expect(out).toContain("Read: entities 1, relations 0; facts about ada: 1.");
  expect(out).toContain("Waiting for review: 1. Left out: 0. Lines that can't be read: 1.");
  expect(error).toBe(`${file}:2: the line was skipped: not JSON`);
  expect((await run(...given, "--dry-run", "--vouch")).out).toContain("In use then: 1.");
});

it("shows the health of the facts, and applies only chosen remedies", async () => {
  const store = `file:${join(await folder(), "memory.db")}`;
  const { memory, close } = await openStores(store);
  for (const fact of ["Prefers dark mode in every editor", "In every editor, prefers dark mode", "ok thanks"])
    await memory.remember("ada", fact);
  await close();
  const health = (...more: readonly string[]) => run("health", "--store", store, "--user", "ada", ...more);
  const { out, error } = await health();
  expect(out).toContain(
    "Stored facts: 3 (stated 3)\nIn use: 3. Remedies would take 66.7% of them out of use.",
  );
  expect(out).toContain("duplicate: These facts state the same in other words.\n  - In every editor");
  expect(out).toContain("  Forget for good: ok thanks");
  expect(error).toContain("Nothing was changed.");
  expect((await health("--apply", "duplicate")).out).toBe(
    "applied  Keep: In every editor, prefers dark mode",
  );
  expect((await health()).out).toContain("Stored facts: 3 (stated 2, ended 1)");
  const [, junk = ""] = /^(\S+) {2}junk/m.exec(out) ?? [];
  expect((await health("--apply", junk)).out).toBe("applied  Forget for good: ok thanks");
  expect(await health()).toMatchObject({ error: "Nothing is wrong." });
  expect((await health("--as-of", "2020-01-01")).out).toContain("Stored facts: 0");
});

it("prints its help and its version", async () => {
  expect((await run("--help")).out).toContain("jaf-mcp-memory token add");
  expect((await run("-v")).out).toMatch(/^\d+\.\d+\.\d+/);
});
