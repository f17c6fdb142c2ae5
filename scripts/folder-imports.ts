import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ts from "typescript";

/** A file's import of another file. Both paths are relative to the root folder. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Returns the imports among the files below a folder, including `import()` and imports of types. */
export function readImports(folder: string): readonly Import[] {
  const aliases = readAliases(dirname(folder));
  return sourcesBelow(folder).flatMap((file) =>
    specifiersOf(file)
      .flatMap((specifier) =>
        specifier.startsWith(".") ? [join(dirname(file), specifier)] : (aliases.get(specifier) ?? []),
      )
      .filter((to) => to.startsWith(folder + sep) && existsSync(to))
      .map((to) => ({ from: relative(folder, file), to: relative(folder, to) })),
  );
}

const sourcesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.m?ts$/.test(file) && !file.split(sep).includes("node_modules"))
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())
    .sort();

/** The names of a package's own modules, each with all files that it may stand for. */
function readAliases(packageFolder: string): ReadonlyMap<string, readonly string[]> {
  const manifest = join(packageFolder, "package.json");
  if (!existsSync(manifest)) return new Map();
  const { imports = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  return new Map(
    Object.entries(imports).map(([alias, targets]) => [
      alias,
      textsIn(targets).map((target) => join(packageFolder, target)),
    ]),
  );
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(textsIn);

function specifiersOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext);
  const specifiers: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) specifiers.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return specifiers;
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    ? node.arguments[0]
    : undefined;
}
