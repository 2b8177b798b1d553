const FOLDER = new URL("../../fixtures/tls/", import.meta.url).pathname;

/** The certificate to trust where a load target is reached through TLS. */
export const CA_CERTIFICATE = `${FOLDER}ca.pem`;
/** The certificate of the load target, for 127.0.0.1. */
export const SERVER_CERTIFICATE = `${FOLDER}server.pem`;
/** The key of the load target. */
export const SERVER_KEY = `${FOLDER}server.key`;
