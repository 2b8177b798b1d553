const FOLDER = new URL("../../fixtures/tls/", import.meta.url).pathname;

/** The certificate to trust where a load target is reached through TLS. */
export const CA_CERTIFICATE = `${FOLDER}ca.pem`;
/** That of the load target, for 127.0.0.1. */
export const SERVER_CERTIFICATE = `${FOLDER}server.pem`;
/** Its key. */
export const SERVER_KEY = `${FOLDER}server.key`;
