/**
 * All packages of ours have one version (`fixed` in .changeset/config.json), and a package needs the others as they were when
 * it was released, or compatible. The sources say so more widely, since changesets makes a major release of whatever has a peer
 * that leaves its range.
 */
const needsItsOwnRelease = ({ name, version, peerDependencies }) =>
  peerDependencies &&
  Object.fromEntries(
    Object.entries(peerDependencies).map(([other, range]) => {
      if (!other.startsWith("@jaf/")) return [other, range];
      return [other, name === SHARED ? "*" : `^${version}`];
    }),
  );

/**
 * A dependency of packages that need the same peers in its own release. If it named the release again, npm couldn't update
 * them: it compares the old copy, which it is about to replace, with the new peers, and refuses.
 */
const SHARED = "@jaf/model-http";

module.exports = {
  hooks: {
    beforePacking: (manifest) => ({
      ...manifest,
      peerDependencies: needsItsOwnRelease(manifest),
    }),
  },
};
