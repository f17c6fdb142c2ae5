/**
 * Compiles every ```ts block of the documents, and of the doc comments in the packages' sources, against the packages. A block
 * that fails is named by its file and line. Blocks that come with a tsconfig.json are compiled with that, too.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = new URL("..", import.meta.url).pathname;
// In `docs`, because every package of the workspace can be imported from there.
const folder = join(root, "docs/.snippets");

const documents = execFileSync(
  "git",
  ["ls-files", "-co", "--exclude-standard", "*.md", "packages/*/src/*.ts"],
  {
    cwd: root,
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((file) => file !== "" && !file.startsWith(".changeset/"));

/** A document as it is, and of a source file its doc comments: other lines are empty, so that line numbers stay. */
function markdownOf(document: string): string {
  const text = readFileSync(join(root, document), "utf8");
  return document.endsWith(".md") ? text : text.replaceAll(/^(?:[ \t]*\* ?(.*)|.*)$/gm, "$1");
}

/** A block with `file=` is one of several that import each other. */
const FENCE = /^```(?:(?:ts|typescript)(?: file=(\S+))?|json file=(\S+))\n([\s\S]*?)^```/gm;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
let count = 0;
const configs = new Set<string>();
for (const document of documents) {
  const text = markdownOf(document);
  for (const match of text.matchAll(FENCE)) {
    const [, source, config, code = ""] = match;
    const file = source ?? config;
    const documentName = document.replaceAll(/[^a-zA-Z0-9]+/g, "-");
    const line = text.slice(0, match.index).split("\n").length + 1;
    const path = join(
      folder,
      file === undefined ? `${documentName}-line-${line}.ts` : join(documentName, file),
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file === undefined ? `${code}\nexport {};\n` : code);
    if (file === "tsconfig.json") configs.add(path);
    if (config === undefined) count += 1;
  }
}
const options = {
  extends: relative(folder, join(root, "tsconfig.base.json")),
  // The declarations stand for SDKs that are too large to install.
  include: ["**/*.ts", "../engines/*.d.ts"],
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
};
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
const compile = (...args: readonly string[]): boolean =>
  spawnSync(join(root, "node_modules/.bin/tsc"), args, { cwd: root, stdio: "inherit" }).status === 0;
// With this condition the packages' sources are read, so no build is needed.
const compiled = [
  compile("-p", folder),
  ...[...configs].map((config) => compile("-p", config, "--customConditions", "@jaf/source")),
];
rmSync(folder, { recursive: true, force: true });
if (!compiled.includes(false)) console.log(`${count} snippets of documents and doc comments compile.`);
else process.exitCode = 1;
