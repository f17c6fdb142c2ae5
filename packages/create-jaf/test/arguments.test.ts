import { describe, expect, it } from "vitest";
import { parseArguments, USAGE } from "../src/arguments.ts";
import { INTERFACES, MODELS, PACKAGE_MANAGERS, STORAGES } from "../src/choices.ts";

describe("the command line", () => {
  it("takes a folder and every choice", () => {
    const argv = [
      "my-agent",
      "--model",
      "openai",
      "--storage=redis",
      "--ui",
      "page",
      "--package-manager",
      "bun",
    ];
    expect(parseArguments([...argv, "--no-install", "-y"])).toEqual({
      command: "create",
      folder: "my-agent",
      model: "openai",
      storage: "redis",
      interface: "page",
      packageManager: "bun",
      install: false,
      yes: true,
    });
  });

  it("leaves open what isn't given", () => {
    expect(parseArguments([])).toMatchObject({
      command: "create",
      folder: undefined,
      model: undefined,
      install: true,
    });
  });

  it.each([
    [["--help"], "help"],
    [["-h"], "help"],
    [["--version"], "version"],
  ])("%j asks for something else", (argv, command) => {
    expect(parseArguments(argv)).toMatchObject({ command });
  });

  it.each([
    [["--modle", "openai"], "Unknown option '--modle'. --help lists all options."],
    [["--model"], "Option '--model <value>' argument missing. --help lists all options."],
    [["--model", "gpt"], '--model: expected offline, openai, anthropic, google, compatible, not "gpt".'],
    [["--ui", ""], '--ui: expected terminal, server, page, none, not "".'],
    [["a", "b"], "Expected one folder, not a b. --help lists all options."],
  ])("%j fails in one line", (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(message);
  });

  it("is described with every value", () => {
    for (const value of [...MODELS, ...STORAGES, ...INTERFACES, ...PACKAGE_MANAGERS])
      expect(USAGE).toContain(value);
  });
});
