@rem Lets "npm start" run on Windows, which has no exec; elsewhere exec puts the server in the place of the shell.
@%*
