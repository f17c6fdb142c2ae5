import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("./spec-examples/", import.meta.url));

function diagnostics(): readonly string[] {
  const config = ts.getParsedCommandLineOfConfigFile(`${folder}tsconfig.json`, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  });
  if (config === undefined) throw new Error("no tsconfig.json");
  const program = ts.createProgram(config.fileNames, config.options);
  return config.fileNames.flatMap((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ start = 0, messageText, ...at }) => {
        const line = (at.file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1;
        return `${file.slice(folder.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
      }),
  );
}

it("the examples of the text on the memory system compile, save for the text's own mistakes", () => {
  expect(diagnostics()).toEqual([]);
}, 120_000);
