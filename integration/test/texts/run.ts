import ts from "typescript";
import { blockNamed, type Text } from "./blocks.ts";
import { runnableModuleOf, settingOf } from "./settings/index.ts";

/** What a block is run with. */
export interface Surroundings {
  /** The values of the names that are given to the text's blocks. */
  readonly given?: object;
  /** What its imports and `require` get. */
  readonly modules?: Readonly<Record<string, object>>;
  /** In place of globals. */
  readonly globals?: object;
}

// biome-ignore lint/suspicious/noExplicitAny: what a block declares is known to the test that runs it
type Exports = Record<string, any>;

const AsyncFunction: FunctionConstructor = (async () => {}).constructor as FunctionConstructor;

/** Its code as the compiler emits it, whatever it says of the types. */
const emit = (source: string): string =>
  ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
    },
  }).outputText;

/** Evaluates the block's module. Returns its exports; for a block that stands in a function, what the function does. */
export async function runBlock(text: Text, name: string, surroundings: Surroundings): Promise<Exports> {
  const block = blockNamed(text, name);
  const { given = {}, modules = {}, globals = {} } = surroundings;
  const require = (specifier: string): unknown => {
    const found = specifier === "given" ? given : modules[specifier];
    if (found === undefined) throw new Error(`The block ${name} of ${text} has no module ${specifier}.`);
    return found;
  };
  const module: { exports: Exports } = { exports: {} };
  const names = ["require", "module", "exports", ...Object.keys(globals)];
  const evaluate = new AsyncFunction(...names, emit(runnableModuleOf(block).source));
  await evaluate(require, module, module.exports, ...Object.values(globals));
  const { as = "function" } = settingOf(block);
  return as === "function" && block.language === "ts" ? module.exports["default"]() : module.exports;
}
