import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ts from "typescript";

/** A file's import of another file's value. Both paths are relative to the root folder. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * The imports of values among the files below a folder, including `import()`. Type imports aren't counted, because they
 * load nothing.
 */
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
    const specifier = valueSpecifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) specifiers.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return specifiers;
}

function valueSpecifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node)) return takesTypesAlone(node) ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return givesTypesAlone(node) ? undefined : node.moduleSpecifier;
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    ? node.arguments[0]
    : undefined;
}

function takesTypesAlone({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  return name === undefined && namedBindings !== undefined && areTypes(namedBindings);
}

const givesTypesAlone = ({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean =>
  isTypeOnly || (exportClause !== undefined && areTypes(exportClause));

const areTypes = (names: ts.NamedImportBindings | ts.NamedExportBindings): boolean =>
  (ts.isNamedImports(names) || ts.isNamedExports(names)) &&
  names.elements.length > 0 &&
  names.elements.every(({ isTypeOnly }) => isTypeOnly);
