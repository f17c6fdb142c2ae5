import { describe, expect, it } from "vitest";
import { parseCommand } from "../../src/arguments.ts";
import { openBrowser } from "../../src/server/run-page.ts";
import { supervise } from "../../src/server/supervise.ts";

const never = new AbortController().signal;
/** A process that reports its URL and ends in the given way soon after. */
const process = (listens: string | undefined, end: string): readonly string[] => [
  "--input-type=module",
  "-e",
  `${listens === undefined ? "" : `process.send({ listening: ${JSON.stringify(listens)} });`} setTimeout(() => { ${end} }, 20);`,
];
const killed = "process.kill(process.pid, 'SIGKILL')";

describe("supervise", () => {
  it("restarts a killed process at the same port", async () => {
    const ports: (number | undefined)[] = [];
    let first = 0;
    const code = await supervise({
      program: ({ port }) => {
        ports.push(port);
        return process("http://127.0.0.1:4999", ports.length < 3 ? killed : "process.exit(0)");
      },
      signal: never,
      onFirst: () => (first += 1),
      onRestart: () => {},
    });
    expect({ code, first, ports }).toEqual({ code: 0, first: 1, ports: [undefined, 4_999, 4_999] });
  });

  it.each([
    ["fails before it listens", process(undefined, "process.exit(2)"), 2],
    ["fails after it listens", process("http://127.0.0.1:4999", "process.exit(1)"), 1],
    ["is killed again and again before it listens", process(undefined, killed), 1],
  ])("ends if the process %s", async (_, program, expected) => {
    const code = await supervise({
      program: () => program,
      signal: never,
      onFirst: () => {},
      onRestart: () => {},
    });
    expect(code).toBe(expected);
  });

  it("signals the process to end when the user leaves, and waits for it", async () => {
    const leaving = new AbortController();
    const program = process(
      "http://127.0.0.1:4999",
      "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); process.send({ listening: 'http://127.0.0.1:1' })",
    );
    let urls = 0;
    const code = await supervise({
      program: () => program,
      signal: leaving.signal,
      onFirst: () => {
        urls += 1;
        setTimeout(() => leaving.abort(), 200);
      },
      onRestart: () => {},
    });
    expect(urls).toBe(1);
    expect(code).toBe(0);
  });
});

describe("openBrowser", () => {
  it("does nothing without a browser", async () => {
    const { env } = globalThis.process;
    const path = env["PATH"];
    env["PATH"] = "";
    try {
      expect(() => openBrowser("http://127.0.0.1:1", "linux")).not.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      env["PATH"] = path;
    }
  });
});

describe("the command line of the page", () => {
  it("is the default, and accepts a port", () => {
    expect(parseCommand([])).toEqual({
      command: "page",
      data: ".jaf",
      user: "you",
      port: undefined,
      opensBrowser: true,
    });
    expect(parseCommand(["page", "--no-open", "--port", "8080"])).toMatchObject({
      port: 8_080,
      opensBrowser: false,
    });
    expect(parseCommand(["chat"])).toMatchObject({ command: "chat" });
  });
  it.each([
    ["--port", "0"],
    ["--port", "65536"],
    ["--port", "http"],
    ["page", "extra"],
  ])("refuses %s %s", (...args) => {
    expect(() => parseCommand(args)).toThrow("--help");
  });
});
