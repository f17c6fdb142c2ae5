import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// Embedded, because a bundler that makes one file of an application leaves a package's .lua files behind.
export const scriptFolders: readonly URL[] = [
  "../src/scripts/",
  "../src/user-memory/scripts/",
  "../src/blobs/scripts/",
  "../src/turn-log/scripts/",
].map((folder) => new URL(folder, import.meta.url));

const INCLUDE = /^--@include (\S+)$/gm;

const camelCase = (file: string): string =>
  file.replace(/\.lua$/, "").replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Comments stay in the sources: the server gets the code alone. */
const withoutComments = (lua: string): string =>
  lua
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("--") && line.trim() !== "")
    .join("\n");

export function generatedScripts(folder: URL): string {
  const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");
  const files = readdirSync(folder).filter((file) => file.endsWith(".lua"));
  const sources = files.map((file) => read(file));
  const included = new Set(
    sources.flatMap((source) => [...source.matchAll(INCLUDE)].map(([, name]) => name)),
  );
  const entries = files
    .filter((file) => !included.has(file))
    .sort()
    .map((file) => {
      const lua = withoutComments(read(file).replaceAll(INCLUDE, (_, name: string) => read(name)));
      if (/`|\$\{/.test(lua)) throw new Error(`${file} holds a backtick or "\${": it can't be embedded`);
      return `  ${camelCase(file)}: ${lua.includes("\\") ? "String.raw" : ""}\`${lua}\n\`,\n`;
    });
  return `// Made of the .lua files beside it by the script "generate": edit those.
export const scripts = {
${entries.join("")}} as const;
`;
}

if (process.argv[1]?.endsWith("generate-scripts.ts")) {
  for (const folder of scriptFolders)
    writeFileSync(new URL("generated-scripts.ts", folder), generatedScripts(folder));
}
