import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("./spec-examples/", import.meta.url));

function diagnosticsByFile(): ReadonlyMap<string, readonly string[]> {
  const config = ts.getParsedCommandLineOfConfigFile(`${folder}tsconfig.json`, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  });
  if (config === undefined) throw new Error("no tsconfig.json");
  const program = ts.createProgram(config.fileNames, config.options);
  return new Map(
    config.fileNames.map((file) => [
      file.slice(folder.length),
      ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(describeDiagnostic),
    ]),
  );
}

function describeDiagnostic({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1;
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}

describe("the examples of the texts, save for the texts' own mistakes", () => {
  const diagnostics = diagnosticsByFile();

  it("are there for memory and persistence", () => {
    expect([...diagnostics.keys()]).toEqual(expect.arrayContaining(["persistence.ts"]));
  });

  it.each([...diagnostics])("compile: %s", (_file, found) => {
    expect(found).toEqual([]);
  });
});
