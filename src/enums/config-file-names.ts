/** Names of the configuration, in the order tried. A folder that has one is a project of its own. */
export const configFileNames: readonly string[] = ['autotest.config.yaml', 'autotest.config.yml']
