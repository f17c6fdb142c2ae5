const conditions = ["@jaf/source", "module", "node", "development|production"];

/** Makes imports of workspace packages read their sources, so that nothing is built before a test. */
export const sourceConditions = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["@jaf/source", "node"] } },
};
