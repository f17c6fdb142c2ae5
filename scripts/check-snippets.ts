/** Compiles every ```ts block of the documentation against the packages, and names the file and line of what fails. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = new URL("..", import.meta.url).pathname;
// In the documentation, because that is where every package of the workspace can be imported from.
const folder = join(root, "docs/.snippets");

const documents = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && !file.startsWith(".changeset/"));

/** A block that names a `file=` is one of several that import each other. */
const FENCE = /^```(?:ts|typescript)(?: file=(\S+))?\n([\s\S]*?)^```/gm;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
let count = 0;
for (const document of documents) {
  const text = readFileSync(join(root, document), "utf8");
  for (const match of text.matchAll(FENCE)) {
    const [, file, code = ""] = match;
    const documentName = document.replaceAll(/[^a-zA-Z0-9]+/g, "-");
    const line = text.slice(0, match.index).split("\n").length + 1;
    const path = join(
      folder,
      file === undefined ? `${documentName}-line-${line}.ts` : join(documentName, file),
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file === undefined ? `${code}\nexport {};\n` : code);
    count += 1;
  }
}
const options = {
  extends: relative(folder, join(root, "tsconfig.base.json")),
  include: ["**/*.ts"],
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
};
writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
const { status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], {
  cwd: root,
  stdio: "inherit",
});
rmSync(folder, { recursive: true, force: true });
if (status === 0) console.log(`${count} snippets of the documentation compile.`);
else process.exitCode = 1;
