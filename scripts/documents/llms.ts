/** Makes `llms.txt`, a list of all documents for language models (llmstxt.org), and `llms-full.txt`, their texts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceLinks, titleOf } from "./markdown.ts";
import { PAGES, type Page } from "./pages.ts";
import { githubUrl, libraries, targetOf } from "./places.ts";

const RAW = "https://raw.githubusercontent.com/jaf-agents/jaf/main";

const SECTIONS: Readonly<Record<string, string>> = {
  core: "Agents, models and turns",
  memory: "Conversations",
  "user-memory": "Facts about users",
  server: "HTTP",
  repository: "Optional",
};

const pageLine = (root: string, { file, to }: Page): string =>
  `- [${titleOf(readFileSync(join(root, "docs", file), "utf8"))}](${RAW}/docs/${file}): to ${to}`;

export function llmsText(root: string): string {
  const packages = libraries(root).map(
    ({ folder, manifest }) =>
      `- [${manifest.name}](${RAW}/packages/${folder}/README.md): ${manifest.description}`,
  );
  const sections = Object.entries(SECTIONS).map(([home, title]) => {
    const lines = PAGES.filter((page) => page.home === home).map((page) => pageLine(root, page));
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# JAF

> A type-safe, functional agent engine for TypeScript whose memory never loses, forges or corrupts a conversation.

Each package carries these documents for its own version: \`node_modules/@jaf/<package>/SKILL.md\` is the first to read, and \`docs\` beside it has the pages. Failures are values (\`outcome.status\`, \`Result\`), not exceptions. Node 20.19 or later.

## Packages

- [README](${RAW}/README.md): what JAF is, and a first program
${packages.join("\n")}

${sections.join("\n")}`;
}

export function llmsFullText(root: string, version: string): string {
  const paths = [
    "README.md",
    ...libraries(root).map(({ folder }) => `packages/${folder}/README.md`),
    ...PAGES.map(({ file }) => `docs/${file}`),
  ];
  const texts = paths.map((path) => {
    const text = replaceLinks(readFileSync(join(root, path), "utf8"), (url) => {
      const target = url.startsWith("#") ? undefined : targetOf(url, path);
      return target ? githubUrl(root, target[0], version) + target[1] : url;
    });
    return `<!-- ${path} -->\n\n${text.trim()}\n`;
  });
  return `# JAF ${version}: all documents\n\n${texts.join("\n")}`;
}
