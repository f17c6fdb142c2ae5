import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./drizzle-cache-tables.ts",
  out: "./migrations/cache",
});
