import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./drizzle-turn-log-tables.ts",
  out: "./migrations/turn-log",
});
