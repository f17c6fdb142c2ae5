import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** A folder of migrations, and the source that holds them: paths from the package's root. */
export interface MigrationFolder {
  readonly folder: string;
  readonly source: string;
}

export const migrationFolders: readonly MigrationFolder[] = [
  { folder: "migrations/", source: "src/migrator/generated-migrations.ts" },
  { folder: "migrations/user-memory/", source: "src/user-memory/generated-migrations.ts" },
  { folder: "migrations/blobs/", source: "src/blobs/generated-migrations.ts" },
  { folder: "migrations/cache/", source: "src/cache/generated-migrations.ts" },
  { folder: "migrations/turn-log/", source: "src/turn-log/generated-migrations.ts" },
];

export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url);

// Embedded, because a bundler that makes one file of an application leaves a package's .sql files behind.
export function generatedMigrations({ folder, source }: MigrationFolder): string {
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

if (process.argv[1]?.endsWith("generate-migrations.ts")) {
  for (const migrationFolder of migrationFolders)
    writeFileSync(packageFile(migrationFolder.source), generatedMigrations(migrationFolder));
}
