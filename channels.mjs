import ready from './channels.js'

export const { channels, consoleChannel, discord, slack, teams, webhook } = ready
export default ready
