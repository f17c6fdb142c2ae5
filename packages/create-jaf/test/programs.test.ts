import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type { Choices } from "../src/choices.ts";
import { template } from "../src/own-package.ts";
import { programOf } from "../src/programs/programs.ts";
import { combinations, labelOf } from "./combinations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const isDistinct = ({ model, storage, interface: shown }: Choices): boolean =>
  model === "offline" || (storage === "embedded" && shown === "terminal");

/** All different sources, at paths from which the packages are found. */
const sources = new Map(
  combinations
    .filter(isDistinct)
    .flatMap((choices) =>
      Object.entries(programOf(choices)).map(
        ([path, text]) => [`${root}${labelOf(choices)}/${path}`, text] as const,
      ),
    ),
);

function problemsIn(files: ReadonlyMap<string, string>): readonly string[] {
  const { compilerOptions } = JSON.parse(template("tsconfig.json"));
  const own = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const options = { ...own.options, customConditions: ["@jaf/source"], noUnusedLocals: true };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  const program = ts.createProgram([...files.keys()], options, {
    ...host,
    fileExists: (path) => files.has(path) || fileExists(path),
    readFile: (path) => files.get(path) ?? readFile(path),
    getSourceFile: (path, version) => {
      const text = files.get(path);
      return text === undefined
        ? host.getSourceFile(path, version)
        : ts.createSourceFile(path, text, version, true);
    },
    directoryExists: (path) =>
      directoryExists?.(path) === true || [...files.keys()].some((file) => file.startsWith(`${path}/`)),
  });
  // The packages' own sources are checked with stricter options.
  return [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}

describe("the programs of all combinations", () => {
  it("compile against the packages, unlike one with a mistake", () => {
    const mistaken = `${root}mistaken/src/agent.ts`;
    const agent = sources.get(`${root}offline-embedded-terminal/src/agent.ts`) ?? "";
    const problems = problemsIn(new Map([...sources, [mistaken, agent.replace("parameters", "parameter")]]));
    expect(problems.filter((problem) => !problem.startsWith(mistaken))).toEqual([]);
    expect(problems).not.toEqual([]);
  });

  it.each(combinations.map((choices) => [labelOf(choices), choices] as const))(
    "%s has fewer than forty lines, of a width that is easy to read",
    (_, choices) => {
      const lines = Object.values(programOf(choices))
        .flatMap((text) => text.split("\n"))
        .filter((line) => line.trim() !== "");
      expect(lines.length).toBeLessThan(40);
      expect(lines.filter((line) => line.length > 110)).toEqual([]);
    },
  );
});
