import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./drizzle-blobs-tables.ts",
  out: "./migrations/blobs",
});
