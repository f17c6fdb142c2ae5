// The configuration with which the kit loads `provider-process.ts` in its second process.
import { defineConfig } from "vitest/config";
import { sourceConditions } from "../../../../../vitest.shared.ts";

export default defineConfig({
  ...sourceConditions,
  environments: { __vitest__: { resolve: sourceConditions.resolve } },
});
