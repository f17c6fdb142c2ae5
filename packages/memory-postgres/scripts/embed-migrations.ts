import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** A folder of migrations, and the source that holds them: paths from the package's root. */
export interface EmbeddedFolder {
  readonly folder: string;
  readonly source: string;
}

export const embeddedFolders: readonly EmbeddedFolder[] = [
  { folder: "migrations/", source: "src/migrator/embedded.ts" },
  { folder: "migrations/user-memory/", source: "src/user-memory/embedded.ts" },
  { folder: "migrations/blobs/", source: "src/blobs/embedded.ts" },
  { folder: "migrations/cache/", source: "src/cache/embedded.ts" },
];

export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url);

// Embedded, because a bundler that makes one file of an application leaves a package's .sql files behind.
export function embeddedMigrations({ folder, source }: EmbeddedFolder): string {
  const entries = readdirSync(packageFile(folder))
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const sql = readFileSync(packageFile(`${folder}${file}`), "utf8");
      if (/`|\$\{/.test(sql)) throw new Error(`${file} holds a backtick or "\${": it can't be embedded`);
      return `  {\n    name: "${file.replace(/\.sql$/, "")}",\n    sql: ${sql.includes("\\") ? "String.raw" : ""}\`${sql}\`,\n  },\n`;
    });
  const up = "../".repeat(source.split("/").length - 1);
  return `// Made of the files in ${up}${folder.replace(/\/$/, "")} by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
${entries.join("")}];
`;
}

if (process.argv[1]?.endsWith("embed-migrations.ts")) {
  for (const embedded of embeddedFolders)
    writeFileSync(packageFile(embedded.source), embeddedMigrations(embedded));
}
