/** Variables that the compiler may see: how to reach registries, and where its cache is. */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "USER", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA"],
  ...["APPDATA", "XDG_CACHE_HOME", "DENO_DIR", "DENO_AUTH_TOKENS", "DENO_TLS_CA_STORE"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["NPM_CONFIG_REGISTRY", "npm_config_registry", "NO_COLOR"],
]);

/** Variables that name authorities, for registries behind a proxy that inspects TLS. */
const AUTHORITIES = ["DENO_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** The environment for a Deno that installs packages. */
export function installEnvironment(): Record<string, string> {
  return cleanEnvironment(
    Object.fromEntries(
      AUTHORITIES.flatMap((name) => {
        const value = Deno.env.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  );
}

/**
 * The environment for a Deno that compiles. Others of its variables would end up inside of the
 * executable for good: with OTEL_DENO it would send telemetry past all permissions, and
 * DENO_V8_FLAGS would make it differ.
 */
export function cleanEnvironment(
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => PASSED_ON.has(name));
  return { ...Object.fromEntries(kept), ...more };
}
