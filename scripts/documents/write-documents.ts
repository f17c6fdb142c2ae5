/** Writes the documents that the packages carry. They are made from the repository's, so Git ignores all but `llms.txt`. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeChanged } from "../write-changed.ts";
import { deadLinks, type ReadText } from "./check-links.ts";
import { exportedNames } from "./exported-names.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { replaceLinks } from "./markdown.ts";
import { PAGES } from "./pages.ts";
import { carriedLinks, type Library, libraries } from "./places.ts";
import { skillName, skillOf } from "./skill.ts";

type Texts = ReadonlyMap<string, string>;

const NOTE = "A link such as ../../memory/docs/windows.md leads to the page of another package, @jaf/memory.";

/** By path in the package. */
function pagesOf(root: string, { folder, manifest }: Library): Texts {
  const { name, version } = manifest;
  const pages = PAGES.filter(({ home }) => home === folder).map(({ file }): [string, string] => {
    const text = readFileSync(join(root, "docs", file), "utf8");
    const links = replaceLinks(text, carriedLinks(root, `docs/${file}`, version));
    return [`docs/${file}`, `<!-- Of ${name} ${version}. ${NOTE} -->\n\n${links}`];
  });
  return new Map(pages);
}

/** From a skill's own directory, the links of the package's `SKILL.md`. */
const movedSkill = (skill: string): string =>
  replaceLinks(skill, (url) => (/^[a-z]+:|^#/i.test(url) ? url : `../../${url}`));

/** By path below `packages`. */
export function carriedTexts(root: string): Texts {
  const entries = exportedNames(root);
  const changelog = join(root, "CHANGELOG.md");
  const texts = libraries(root).flatMap((library) => {
    const { folder } = library;
    const own = entries.filter(({ entry }) => entry.folder === join(root, "packages", folder));
    const skill = skillOf(root, library, own);
    return [
      ["SKILL.md", skill] as const,
      // Where pnpm and other tools look for the skills of a package.
      [`skills/${skillName(library)}/SKILL.md`, movedSkill(skill)] as const,
      ...(existsSync(changelog) ? [["CHANGELOG.md", readFileSync(changelog, "utf8")] as const] : []),
      ...pagesOf(root, library),
    ].map(([path, text]): [string, string] => [`${folder}/${path}`, text]);
  });
  return new Map(texts);
}

/** Carried documents link to each other, to READMEs and to sources. */
function checkCarried(root: string, texts: Texts): void {
  const read: ReadText = (path) => {
    const text = texts.get(path.replace("packages/", ""));
    if (text !== undefined || !existsSync(join(root, path))) return text;
    return path.endsWith(".md") ? readFileSync(join(root, path), "utf8") : "";
  };
  const dead = [...texts]
    .filter(([path]) => !path.endsWith("CHANGELOG.md"))
    .flatMap(([path, text]) => deadLinks(`packages/${path}`, text, read));
  if (dead.length > 0) throw new Error(`Packages would carry dead links:\n${dead.join("\n")}`);
}

/** Those of an earlier version, e.g. a page that another package carries by now. */
function removeOthers(root: string, texts: Texts): void {
  const made = libraries(root).flatMap(({ folder }) => [`${folder}/docs`, `${folder}/skills`]);
  for (const folder of made.filter((path) => existsSync(join(root, "packages", path)))) {
    const files = readdirSync(join(root, "packages", folder), { recursive: true, encoding: "utf8" });
    const paths = files.map((file) => `${folder}/${file}`);
    for (const path of paths)
      if (path.endsWith(".md") && !texts.has(path)) rmSync(join(root, "packages", path), { force: true });
  }
}

export function writeDocuments(root: string): void {
  const texts = carriedTexts(root);
  checkCarried(root, texts);
  for (const [path, text] of texts) writeChanged(join(root, "packages", path), text);
  removeOthers(root, texts);
  const [first] = libraries(root);
  writeChanged(join(root, "llms.txt"), llmsText(root));
  writeChanged(join(root, "llms-full.txt"), llmsFullText(root, first?.manifest.version ?? ""));
}
