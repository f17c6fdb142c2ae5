import { fileURLToPath } from "node:url";
import ts from "typescript";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A file that there is none of, in this folder. */
export interface VirtualFile {
  /** Relative to this folder, which is also where its imports are resolved from. */
  readonly path: string;
  readonly source: string;
}

export interface Finding {
  readonly line: number;
  readonly code: number;
  readonly message: string;
}

function strictOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return {
    ...options,
    // The texts are written for `strict`, and not for what we add to it. A fragment needn't use what it declares.
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    noPropertyAccessFromIndexSignature: false,
    noImplicitOverride: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    isolatedModules: false,
    // As where a bundler resolves imports: a default import is a module's `default`, also of what is CommonJS.
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    esModuleInterop: true,
    allowJs: true,
    checkJs: true,
    maxNodeModuleJsDepth: 0,
    types: ["node"],
  };
}

/**
 * What the compiler finds in each of the files, in one program. `imports` names the file in place of a module:
 * by the importing file, where that decides.
 */
export function findingsIn(
  files: readonly VirtualFile[],
  fileOfImport: (specifier: string, importer: string) => string | undefined,
): ReadonlyMap<string, readonly Finding[]> {
  const options = strictOptions();
  const sources = new Map(files.map(({ path, source }) => [folder + path, source]));
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, target) => {
    const source = sources.get(name);
    return source === undefined ? getSourceFile(name, target) : ts.createSourceFile(name, source, target);
  };
  const cache = ts.createModuleResolutionCache(root, (name) => name, options);
  host.resolveModuleNameLiterals = (literals, importer, redirect, own, sourceFile) =>
    literals.map((literal) => {
      const replaced = sources.has(importer)
        ? fileOfImport(literal.text, importer.slice(folder.length))
        : undefined;
      const resolvedFileName = replaced && folder + replaced;
      if (resolvedFileName !== undefined && resolvedFileName !== "")
        return { resolvedModule: { resolvedFileName, extension: ".ts" } };
      const mode = ts.getModeForUsageLocation(sourceFile, literal, own);
      return ts.resolveModuleName(literal.text, importer, own, host, cache, redirect, mode);
    });
  const program = ts.createProgram([...sources.keys()], options, host);
  return new Map(
    files.map(({ path }) => {
      const file = program.getSourceFile(folder + path);
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return [path, found.map(asFinding)];
    }),
  );
}

const asFinding = ({ file, start = 0, code, messageText }: ts.Diagnostic): Finding => ({
  line: (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1,
  code,
  message: ts.flattenDiagnosticMessageText(messageText, "\n"),
});
