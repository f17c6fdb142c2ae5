/** Finds links of documents that lead nowhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anchorsIn, linksIn } from "./markdown.ts";
import { PAGES } from "./pages.ts";
import { libraries, targetOf } from "./places.ts";

const markdownIn = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => `${folder}/${file}`);

/** Paths in the repository. */
function documents(root: string): readonly string[] {
  return [
    ...["README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"].filter((file) =>
      existsSync(join(root, file)),
    ),
    ...markdownIn(root, "docs"),
    ...libraries(root).map(({ folder }) => `packages/${folder}/README.md`),
    ...markdownIn(root, "scripts/documents/skills"),
  ];
}

export type ReadText = (path: string) => string | undefined;

/** `read` gives the text of a file, `""` for a folder, or `undefined` if there is none. */
export function deadLinks(from: string, text: string, read: ReadText): readonly string[] {
  return linksIn(text).flatMap(({ url, line }) => {
    const target = targetOf(url, from);
    if (target === undefined) return [];
    const [path, anchor] = target;
    const found = path === from ? text : read(path);
    if (found === undefined) return [`${from}:${line}: ${url} leads to no file`];
    const isMarkdown = path.endsWith(".md") || !/\.\w+$/.test(path);
    const isThere = anchor === "" || !isMarkdown || anchorsIn(found).has(anchor.slice(1));
    return isThere ? [] : [`${from}:${line}: ${url} leads to no heading`];
  });
}

/** Reads a file of the repository. A folder counts as its README. */
function reader(root: string): ReadText {
  return (path) => {
    const file = join(root, path);
    if (!existsSync(file)) return undefined;
    if (path.endsWith(".md")) return readFileSync(file, "utf8");
    return existsSync(join(file, "README.md")) ? readFileSync(join(file, "README.md"), "utf8") : "";
  };
}

/** What is wrong in the repository's documents: dead links, and pages that no package has. */
export function faultsOfSources(root: string): readonly string[] {
  const read = reader(root);
  const homeless = markdownIn(root, "docs")
    .filter((path) => !PAGES.some(({ file }) => path === `docs/${file}`))
    .map((path) => `${path}: PAGES of scripts/documents/pages.ts doesn't say which package carries it`);
  const dead = documents(root).flatMap((path) => deadLinks(path, read(path) ?? "", read));
  return [...homeless, ...dead];
}
