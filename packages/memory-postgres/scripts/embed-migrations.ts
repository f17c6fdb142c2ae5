import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// Embedded, because a bundler that makes one file of an application leaves a package's .sql files behind.
const folder = new URL("../migrations/", import.meta.url);

export function embeddedMigrations(): string {
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), "utf8");
      if (/`|\$\{/.test(sql)) throw new Error(`${file} holds a backtick or "\${": it can't be embedded`);
      return `  {\n    name: "${file.replace(/\.sql$/, "")}",\n    sql: ${sql.includes("\\") ? "String.raw" : ""}\`${sql}\`,\n  },\n`;
    });
  return `// Made of the files in ../../migrations by the script "generate": edit those.
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [
${entries.join("")}];
`;
}

if (process.argv[1]?.endsWith("embed-migrations.ts")) {
  writeFileSync(new URL("../src/migrator/embedded.ts", import.meta.url), embeddedMigrations());
}
