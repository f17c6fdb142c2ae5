import ts from "typescript";
import type { Block } from "./blocks.ts";

/** How a block becomes a module. What it doesn't need to say is left out. */
export interface Setting {
  /**
   * What the block stands in. By default a function, whose names are its result; `types` are declarations of public API,
   * in a namespace `Spec`; a `member` stands in a class; of `alternatives` each statement is a function of its own.
   */
  readonly as?: "function" | "module" | "types" | "alternatives" | { readonly memberOf: string };
  /** What this block needs declared beside, or in place of, what its text's blocks are given. */
  readonly declares?: string;
  /** Where the text leaves something out in a comment: the comment, and what is left out. */
  readonly leftOut?: readonly [comment: string, code: string];
  /** Follows the block: what its types have to do with ours. `Block` is what a function's block declares. */
  readonly claims?: string;
  /** What the text itself says the compiler refuses: the text's line, and the diagnostic. */
  readonly refused?: string;
}

export interface BlockModule {
  readonly source: string;
  /** Follow the source where it is type-checked. */
  readonly claims: string;
  /** The line of the text that stands in this line of the source, both counted from 1. */
  readonly textLine: (line: number) => number;
}

const parse = (code: string): ts.SourceFile =>
  ts.createSourceFile("block.ts", code, ts.ScriptTarget.ES2022, true);

/** What a module exports by a name of its own; `export *` is not seen. */
export function exportedNames(source: string): readonly string[] {
  return parse(source).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return declaredBy(statement);
    const clause = statement.exportClause;
    return clause !== undefined && ts.isNamedExports(clause)
      ? clause.elements.map(({ name }) => name.text)
      : [];
  });
}

function declaredBy(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  const isDeclaration =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name !== undefined ? [statement.name.text] : [];
}

const namesIn = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));

const isValue = (statement: ts.Statement): boolean =>
  !ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement);

function importedBy({ importClause }: ts.ImportDeclaration): readonly string[] {
  const bindings = importClause?.namedBindings;
  return [
    ...(importClause?.name === undefined ? [] : [importClause.name.text]),
    ...(bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ name }) => name.text)
      : []),
  ];
}

function identifiersIn(code: string): ReadonlySet<string> {
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

/** What stands before and after the block. */
function wrap(
  as: NonNullable<Setting["as"]>,
  statements: readonly ts.Statement[],
): readonly [string, string] {
  const values = [...new Set(statements.filter(isValue).flatMap(declaredBy))].join(", ");
  if (as === "module") return ["", `export { ${values} };`];
  if (as === "types") return ["declare namespace Spec {", "}"];
  if (as === "alternatives") return ["export const alternatives = [", "];"];
  if (as === "function") return ["export default async function block() {", `return { ${values} };\n}`];
  return [`export ${as.memberOf} {`, "}"];
}

/** Each statement in a function of its own, on the lines that it is on. */
const asAlternatives = (code: string, statements: readonly ts.Statement[]): string =>
  statements
    .toReversed()
    .reduce(
      (text, statement) =>
        `${text.slice(0, statement.getStart())}async () => { ${statement.getText()} },${text.slice(statement.end)}`,
      code,
    );

/** Those of the given names that the module uses, and has no other way. */
function namesToImport(
  { declares = "", claims = "", as }: Setting,
  code: string,
  own: readonly string[],
  given: readonly string[],
): readonly string[] {
  const taken = new Set([...exportedNames(declares), ...own]);
  const used = identifiersIn(`${code} ${declares} ${claims} ${typeof as === "object" ? as.memberOf : ""}`);
  return given.filter((name) => used.has(name) && !taken.has(name));
}

/** `given` are the names that a block of its text may use without declaring or importing them. */
export function moduleOf(block: Block, setting: Setting, given: readonly string[]): BlockModule {
  if (block.language === "cjs") return commonJsModule(block);
  const { as = "function", leftOut, declares = "", claims = "" } = setting;
  const code = leftOut === undefined ? block.code : block.code.replace(...leftOut);
  const { statements } = parse(code);
  const imports = statements.filter((statement) => ts.isImportDeclaration(statement));
  const own = as === "module" ? statements.flatMap(declaredBy) : [];
  const names = namesToImport(setting, code, [...imports.flatMap(importedBy), ...own], given);
  // Imports move to the top, and leave their lines behind.
  const hoisted = imports.map((statement) => statement.getText().replaceAll("\n", " ")).join("; ");
  const rest = imports.reduce(
    (text, { pos, end }) =>
      text.slice(0, pos) + text.slice(pos, end).replaceAll(/[^\n]/g, " ") + text.slice(end),
    code,
  );
  const [before, after] = wrap(as, statements);
  const first = `import { ${names.join(", ")} } from "given"; ${hoisted}; ${declares} ${before}`;
  const body = as === "alternatives" ? asAlternatives(rest, statements) : rest;
  return {
    source: [first, body, after, "export {};", ""].join("\n"),
    claims: as === "function" ? `type Block = Awaited<ReturnType<typeof block>>; ${claims}` : claims,
    textLine: (line) => block.from + line - 2,
  };
}

function commonJsModule({ code, from }: Block): BlockModule {
  const names = parse(code).statements.flatMap(declaredBy).join(", ");
  return {
    source: `${code}\nmodule.exports = { ${names} };`,
    claims: "",
    textLine: (line) => from + line - 1,
  };
}
