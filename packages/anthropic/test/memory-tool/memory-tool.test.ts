import { createRunState, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createMemoryTool, type MemoryCommand } from "../../src/index.ts";

const open = (store = createInMemoryProvider(), user = "ada") => {
  const tool = createMemoryTool({ store, user });
  return { store, ask: (command: MemoryCommand) => tool.execute(command, {}) };
};

const A = "/memories/a.md";
const POEM = "one\ntwo\nthree\n";

const created = async (files: Readonly<Record<string, string>> = { [A]: POEM }) => {
  const opened = open();
  for (const [path, file_text] of Object.entries(files))
    await opened.ask({ command: "create", path, file_text });
  return opened;
};

const LISTED =
  "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";

describe("the memory tool", () => {
  it("lists two levels of a directory with sizes, without hidden items", async () => {
    const { ask } = await created({
      "/memories/b/c/d.md": "x".repeat(2048),
      "/memories/b/e.md": "é",
      "/memories/.hidden": "x",
      "/memories/node_modules/m": "x",
      [A]: "x".repeat(1_500),
    });
    expect(await ask({ command: "view", path: "/memories/" })).toBe(
      [
        LISTED,
        "3.5K\t/memories",
        `1.5K\t${A}`,
        "2.1K\t/memories/b",
        "2.0K\t/memories/b/c",
        "0.1K\t/memories/b/e.md",
      ].join("\n"),
    );
    expect(await ask({ command: "view", path: "/memories/b/c" })).toContain("2.0K\t/memories/b/c/d.md");
  });

  it("lists an empty directory", async () => {
    expect(await open().ask({ command: "view", path: "/memories" })).toBe(`${LISTED}\n0.0K\t/memories`);
  });

  it.each<[string, MemoryCommand, string]>([
    [
      "shows a file",
      { command: "view", path: A },
      `Here's the content of ${A} with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree`,
    ],
    [
      "shows some lines",
      { command: "view", path: A, view_range: [2, -1] },
      `Here's the content of ${A} with line numbers:\n     2\ttwo\n     3\tthree`,
    ],
    [
      "shows the lines that there are",
      { command: "view", path: A, view_range: [0, 200] },
      `Here's the content of ${A} with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree`,
    ],
    [
      "shows no missing file",
      { command: "view", path: "/memories/x" },
      "The path /memories/x does not exist. Please provide a valid path.",
    ],
    [
      "creates no file twice",
      { command: "create", path: A, file_text: "" },
      `Error: File ${A} already exists`,
    ],
    [
      "creates no file in a file",
      { command: "create", path: `${A}/b`, file_text: "" },
      `Error: ${A} is a file and not a directory`,
    ],
    [
      "replaces a text",
      { command: "str_replace", path: A, old_str: "two", new_str: "2\n2½" },
      "The memory file has been edited.\n     1\tone\n     2\t2\n     3\t2½\n     4\tthree",
    ],
    [
      "replaces nothing in a missing file",
      { command: "str_replace", path: "/memories/x", old_str: "a", new_str: "b" },
      "Error: The path /memories/x does not exist. Please provide a valid path.",
    ],
    [
      "replaces no text that isn't there",
      { command: "str_replace", path: A, old_str: "four", new_str: "" },
      `No replacement was performed, old_str \`four\` did not appear verbatim in ${A}.`,
    ],
    [
      "replaces no text that is there twice",
      { command: "str_replace", path: A, old_str: "e\n", new_str: "" },
      `No replacement was performed. Multiple occurrences of old_str \`e\n\` in lines: 1, 3. Please ensure it is unique`,
    ],
    [
      "inserts a text",
      { command: "insert", path: A, insert_line: 1, insert_text: "1½\n" },
      `The file ${A} has been edited.`,
    ],
    [
      "inserts nothing into a missing file",
      { command: "insert", path: "/memories/x", insert_line: 0, insert_text: "" },
      "Error: The path /memories/x does not exist",
    ],
    [
      "inserts nothing behind the end",
      { command: "insert", path: A, insert_line: 4, insert_text: "" },
      "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
    ],
    ["deletes a file", { command: "delete", path: A }, `Successfully deleted ${A}`],
    [
      "deletes no missing file",
      { command: "delete", path: "/memories/x" },
      "Error: The path /memories/x does not exist",
    ],
    [
      "doesn't delete the root",
      { command: "delete", path: "/memories" },
      "Error: The directory /memories itself can't be deleted",
    ],
    [
      "renames a file",
      { command: "rename", old_path: A, new_path: "/memories/b/c" },
      `Successfully renamed ${A} to /memories/b/c`,
    ],
    [
      "renames no missing file",
      { command: "rename", old_path: "/memories/x", new_path: A },
      "Error: The path /memories/x does not exist",
    ],
    [
      "renames nothing to what there is",
      { command: "rename", old_path: A, new_path: A },
      `Error: The destination ${A} already exists`,
    ],
    [
      "renames nothing into itself",
      { command: "rename", old_path: A, new_path: `${A}/b` },
      `Error: The destination ${A}/b is inside of ${A}`,
    ],
    [
      "refuses a long file",
      { command: "create", path: "/memories/x", file_text: "x".repeat(100_001) },
      "Error: File /memories/x would be longer than 100000 characters.",
    ],
  ])("%s", async (_, command, answer) => {
    const { ask } = await created();
    expect(await ask(command)).toBe(answer);
  });

  it.each([
    "/etc/passwd",
    "/memories/../secret",
    "/memories/a/../../b",
    "/memories/./a",
    "/memories//a",
    "/memories/..\\a",
    "/memories/%2e%2e/a",
    "/memories/%2E%2E%2Fa",
    "/memories/a\0",
    "/memoriesx/a",
    "memories/a",
    `/memories/${"a".repeat(250)}`,
  ])("refuses the path %j", async (path) => {
    const { ask } = await created();
    const answer = `Error: The path ${path} is not a valid path in /memories`;
    expect(await ask({ command: "view", path })).toBe(answer);
    expect(await ask({ command: "create", path, file_text: "x" })).toBe(answer);
    expect(await ask({ command: "rename", old_path: A, new_path: path })).toBe(answer);
  });

  it("edits, moves and deletes whole directories", async () => {
    const { ask } = await created({ [A]: "one", "/memories/b/c": "x", "/memories/b/d/e": "y" });
    await ask({ command: "insert", path: A, insert_line: 1, insert_text: "two\n" });
    expect(await ask({ command: "view", path: A })).toContain("     1\tone\n     2\ttwo");
    await ask({ command: "rename", old_path: "/memories/b", new_path: "/memories/z" });
    expect(await ask({ command: "view", path: "/memories/z/d/e" })).toContain("     1\ty");
    await ask({ command: "delete", path: "/memories/z" });
    expect(await ask({ command: "view", path: "/memories" })).toBe(`${LISTED}\n0.1K\t/memories\n0.1K\t${A}`);
  });

  it("renames no directory so that paths in it are too long", async () => {
    const { ask } = await created({ [`/memories/d/${"a".repeat(200)}`]: "x" });
    const rename = {
      command: "rename",
      old_path: "/memories/d",
      new_path: `/memories/${"b".repeat(50)}`,
    } as const;
    expect(await ask(rename)).toBe("Error: A path would be longer than 255 characters.");
  });

  it("lists the first lines only, if a text is in very many", async () => {
    const { ask } = await created({ [A]: "\n".repeat(100_000) });
    const answer = await ask({ command: "str_replace", path: A, old_str: "\n", new_str: "" });
    expect(answer).toContain(" 18, 19, 20. Please");
  });

  it("carries out a repeated call once", async () => {
    const store = createInMemoryProvider();
    const tool = createMemoryTool({ store, user: "ada" });
    const call = { idempotencyKey: "call-1", signal: new AbortController().signal } as never;
    const insert = { command: "insert", path: A, insert_line: 0, insert_text: "x\n" } as const;
    await tool.execute({ command: "create", path: A, file_text: "" }, {});
    expect(await tool.execute(insert, {}, call)).toBe(`The file ${A} has been edited.`);
    expect(await tool.execute(insert, {}, call)).toBe(`The file ${A} has been edited.`);
    expect(await tool.execute({ command: "view", path: A }, {})).toBe(
      `Here's the content of ${A} with line numbers:\n     1\tx`,
    );
  });

  it("runs the calls of one reply in their order, for the user of the context", async () => {
    const store = createInMemoryProvider();
    const tool = createMemoryTool<{ readonly id: string }>({ store, user: ({ id }) => id });
    const model = createScriptedModel([
      {
        toolCalls: [
          { name: "memory", arguments: { command: "create", path: A, file_text: "one" } },
          { name: "memory", arguments: { command: "str_replace", path: A, old_str: "one", new_str: "two" } },
        ],
      },
      "Done.",
    ]);
    const state = createRunState({
      agentName: "a",
      context: { id: "ada" },
      messages: [{ role: "user", content: "Hi" }],
    });
    await run(state, {
      agentRegistry: new Map([["a", { name: "a", instructions: "You help.", tools: [tool] }]]),
      modelProvider: model,
    });
    expect(await tool.execute({ command: "view", path: A }, { id: "ada" })).toContain("     1\ttwo");
    expect(await tool.execute({ command: "view", path: A }, { id: "eve" })).toContain("does not exist");
  });
});
