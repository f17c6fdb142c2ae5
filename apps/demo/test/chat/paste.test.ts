import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPasteFilter } from "../../src/chat/paste.ts";
import { bundled, runDemo } from "../support/demo-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a paste", () => {
  it("is one line of the editor, and has its lines again when it is sent", () => {
    const filter = createPasteFilter();
    const shown = filter.feed("say \x1b[200~a\r\nb\rc\x1b[201~!");
    expect(shown).toBe("say a⏎b⏎c!");
    expect(filter.expand(shown)).toBe("say a\nb\nc!");
  });

  it("is shown as a summary if it is long, and sent completely", () => {
    const filter = createPasteFilter();
    const text = Array.from({ length: 12 }, (_, n) => `line ${n}`).join("\n");
    const shown = filter.feed(`\x1b[200~${text}\x1b[201~`);
    expect(shown).toBe("[pasted 12 lines: line 0…]");
    expect(filter.expand(`${shown} ok`)).toBe(`${text} ok`);
  });

  it("can arrive in pieces, cut anywhere", () => {
    const whole = "\x1b[200~a\rb\x1b[201~";
    for (let cut = 1; cut < whole.length; cut++) {
      const filter = createPasteFilter();
      expect(filter.feed(whole.slice(0, cut)) + filter.feed(whole.slice(cut))).toBe("a⏎b");
    }
  });

  it("can't control the terminal", () => {
    expect(createPasteFilter().feed("\x1b[200~a\x03\x1b[31mb\x1b[201~")).toBe("a[31mb");
  });

  it("is recognized without marks by lines that arrive together, except commands", () => {
    const filter = createPasteFilter();
    expect(filter.feed("a\rb\r")).toBe("a⏎b\r");
    expect(filter.feed("a\r/quit\r")).toBe("a\r/quit\r");
    expect(filter.feed("a\r")).toBe("a\r");
  });
});

/** The output of an interactive terminal. `steps`: the output to wait for, and the input to type then. */
function typeInto(args: readonly string[], steps: readonly (readonly [string, string])[]): Promise<string> {
  const driver = fileURLToPath(new URL("../support/pseudo-terminal.py", import.meta.url));
  const env = { ...process.env, NO_COLOR: "1", TERM: "xterm", STEPS: JSON.stringify(steps) };
  const child = spawn("python3", [driver, process.execPath, ...bundled, ...args], { env });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  return new Promise((resolve) => child.on("close", () => resolve(out)));
}

describe("a message with several lines", { timeout: 180_000 }, () => {
  const folder = temporaryFolder();
  beforeAll(() => folder.placeDatabase());
  afterAll(() => folder.remove());

  it("is sent as one message if it is pasted into a terminal", async () => {
    const shown = await typeInto(
      ["chat", "--data", folder.data],
      [
        ["> ", "\x1b[200~first\rMy name is Ada.\x1b[201~"],
        ["Ada.", "\r"],
        ["Nice to meet you, Ada.", "x \\\r"],
        ["… ", "my dog is Rex\r"],
        ["I see: your dog is Rex.", "/quit\r"],
      ],
    );
    expect(shown).toContain("\x1b[?2004h");
    expect(shown).toContain("first⏎My name is Ada.");
    expect(shown).toContain("\x1b[?2004l");
    const { out } = await runDemo(["chat", "--data", folder.data], { input: "" });
    expect(out).toContain("you: first\nMy name is Ada.\nagent: Nice to meet you, Ada.");
    expect(out).toContain("you: x \nmy dog is Rex\n");
  });

  it("can be piped with a backslash at the end of a line", async () => {
    const args = ["chat", "--data", folder.data, "--user", "bo"];
    const { out } = await runDemo(args, { input: "one \\\ntwo\nthree\\\n" });
    expect(out).toContain("you: one \ntwo\nagent:");
    expect(out).toContain("you: three\nagent:");
  });
});
