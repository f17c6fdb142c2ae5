import type { NextConfig } from "next";

const config: NextConfig = {
  // It reads its WebAssembly from its own folder.
  serverExternalPackages: ["@electric-sql/pglite"],
};

export default config;
