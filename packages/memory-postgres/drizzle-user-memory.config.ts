import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./drizzle-user-memory-tables.ts",
  out: "./migrations/user-memory",
});
