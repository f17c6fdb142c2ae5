import { defineConfig } from "vitest/config";

// Without a configuration here, vitest would take the one of a folder above.
export default defineConfig({ test: { include: ["test/**/*.test.ts"] } });
